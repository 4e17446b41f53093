# The deepest call of fib.
break fib if r1 == 1
ignore 1 1
run
bt
