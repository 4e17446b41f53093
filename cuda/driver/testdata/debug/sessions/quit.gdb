# killed
tbreak racy
continue
p total
quit
