"""Builds the hot loops, if it can. All else is in pyproject.toml."""

import os
import sys

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

# Said here, since CFLAGS of the environment takes the place of what Python was built with, optimisation included, and
# the loops then take three times as long. Nobody debugs them, and without what debuggers want they are smaller.
FLAGS = [] if sys.platform == "win32" else ["-O3", "-g0"]

extensions = [
    Extension(f"possilog.{name}", [f"src/possilog/{name.replace('.', '/')}.py"], extra_compile_args=FLAGS)
    for name in HOT
]
if not {"egg_info", "dist_info", "sdist"} & set(sys.argv):  # who asks what is needed, or packs, compiles nothing
    processes = os.cpu_count() if sys.platform == "linux" else 0  # elsewhere each would begin with this file
    extensions = cythonize(extensions, nthreads=processes or 0, build_dir="build", force=True, include_path=["src"])
for extension in extensions:
    extension.optional = True  # without a compiler the same file runs interpreted; set here, since cythonize forgets it

setup(ext_modules=extensions, options={"build_ext": {"parallel": True}})
