"""The report of a theory: what it shows as frozen values (``values``), and what draws them (``page``, ``pictures``)."""
