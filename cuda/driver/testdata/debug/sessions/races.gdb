# check race
# output 40 40
catch race
catch finding
continue
p %r1
continue
x/2 global:0x110000000
