# output 40 40
info launch
break 3
catch
catch nothing
catch error
continue
info mem
p total
catch race
continue
why
reverse-step 2
continue
continue
