info break
print nosuch
info launch
