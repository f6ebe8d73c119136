"""Builds the hot loops, if it can. All else is in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

# The modules that are compiled. This is their one list; scripts/env reads it line by line.
HOT = (
    "matching.kernel",
    "chaining.store",
    "chaining.join",
    "chaining.chainer",
    "structure.paths.kernel",
    "learning.graph.kernel",
)

extensions = [Extension(f"possilog.{name}", [f"src/possilog/{name.replace('.', '/')}.py"]) for name in HOT]
extensions = cythonize(extensions, build_dir="build", force=True, include_path=["src"])
for extension in extensions:
    extension.optional = True  # without a compiler the same file runs interpreted; set here, since cythonize forgets it

setup(ext_modules=extensions, options={"build_ext": {"parallel": True}})
