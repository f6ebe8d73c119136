"""Where tasks run: in this process, in several, or on a cluster. What comes back is the same, and in the same order."""

from possilog.workers.cluster import Cluster
from possilog.workers.places import Jobs, Workers, hands, in_order, ready
from possilog.workers.sharing import shared

__all__ = ["Cluster", "Jobs", "Workers", "hands", "in_order", "ready", "shared"]
