"""What is drawn: tables, plots and pages that need nothing else. Experiments are in ``report.experiment``.

Everything that comes from data or from a person is escaped here, once: names may hold whatever they like.
"""
