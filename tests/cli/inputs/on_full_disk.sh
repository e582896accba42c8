# usage: on_full_disk.sh FOLDER SPEC, in a mount namespace of its own: FOLDER/disk becomes a small file system.
set -u
disk=$1/disk
optimize="quern optimize $2 --candidates 1 --seed 1"
mount -t tmpfs -o size=64k none "$disk" || exit 1
head -c 48k /dev/zero > "$disk/filler"
$optimize --no-cache --out "$disk/bundle"
echo "exit code $?"
echo "left behind: $(ls -A "$disk" | grep -vc filler)"
QUERN_CACHE=$disk/cache $optimize
echo "exit code $?"
rm "$disk/filler"
mount -o remount,size=16m "$disk"
echo "space again"
export QUERN_CACHE=$disk/cache
$optimize --json | grep '"cache"'
$optimize --json | grep '"cache"'
quern cache ls
