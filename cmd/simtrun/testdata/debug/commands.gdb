# what docs and tests source
break square
run
bt 1
