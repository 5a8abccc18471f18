"""What the releases of a competition have given away.

`records` says what happened, `statement` prices it as (epsilon, delta) between a lower and an
upper estimate, `certificate` states what follows from counters alone. Only `records` and
`certificate` are free of numpy, so nothing is imported here.
"""
