"""Few rules for each relation of a graph, chosen together to rank what is true before what is not."""
