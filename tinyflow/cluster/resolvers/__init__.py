"""Resolvers: where the tasks of a cluster are, by TF_CONFIG, by Slurm, or as the program says."""
