"""Physics of sliding discs on plain numbers and arrays.

Needs NumPy and Numba only and knows nothing of players, rules, tables or files. What crosses
the wall is in ``state``; the doors that Python may call are the functions decorated with
``jit.entry``.
"""
