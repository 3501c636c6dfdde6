"""What published programs take from TensorFlow's private modules and nowhere else.

`private_modules.py` above says which module is found where; those here have no public place.
`modules.txt` lists the modules below tensorflow.python in TensorFlow 1.15.
"""
