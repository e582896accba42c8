# usage: exits.sh CODE COMMAND...: succeeds if the command exits with just that code.
want=$1
shift
"$@"
got=$?
[ "$got" -eq "$want" ] || { echo "exit code $got instead of $want" >&2; exit 1; }
