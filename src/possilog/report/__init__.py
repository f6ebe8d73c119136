"""What is drawn: experiments as one HTML page, tables and plots."""
