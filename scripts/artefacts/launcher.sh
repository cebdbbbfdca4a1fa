#!/bin/sh
# Starts allot with the Node beside it, also through a symbolic link such as kubectl-allot.
file=$0
while [ -h "$file" ]; do
  target=$(command -p readlink "$file")
  case $target in
    /*) file=$target ;;
    *) file=${file%/*}/$target ;;
  esac
done
case $file in
  */*) folder=${file%/*} ;;
  *) folder=. ;;
esac
exec "$folder/node" "$folder/bin/allot.js" "$@"
