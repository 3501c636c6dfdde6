"""One program in several processes: servers that run stages of a graph, and all-reduce.

Nothing here is imported before a program asks for a cluster.
"""
