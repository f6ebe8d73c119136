"""Builds the kernel, if it can. All else is in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

kernel = Extension("possilog.matching.kernel", ["src/possilog/matching/kernel.py"])
(kernel,) = cythonize([kernel], build_dir="build", force=True)
kernel.optional = True  # without a compiler the same file runs interpreted; set here, since cythonize forgets it

setup(ext_modules=[kernel])
