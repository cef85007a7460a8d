"""The images from the outside and from the inside. Not part of the usual test run: `.ci/image` builds them and runs this folder
(see `collect_ignore` in `tests/conftest.py`)."""
