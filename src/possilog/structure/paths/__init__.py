"""All path rules of a graph, counted exactly over integer columns."""
