# output 40 20
break twice
continue
info break
step 5
p %r2
reverse-step
reverse-step
p %r1
p total
x/4 %rd1
set %rd2[7] = 24
continue
info launch
delete
break kernel
catch end
continue
restart
step 2
when
continue
p total
detach
