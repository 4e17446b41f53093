# killed
# output 40 40
tbreak racy
continue
p total
quit
