target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; Block bx adds vector 3001 * bx mod 8191, so that neighbours in time are far apart in memory. That each is one of the
; 8191 vectors, and a different one, is number theory: neither intervals nor mixed radix tell, and there are too many
; blocks to look at each.
define void @strided_add(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %walk = mul nuw nsw i64 %bx, 3001
  %vector = urem i64 %walk, 8191
  %inside = icmp ult i64 %vector, 8191
  br i1 %inside, label %add, label %exit

add:
  %byte = shl nuw nsw i64 %vector, 5
  %b.next = getelementptr i8, ptr %b, i64 32
  %pa = getelementptr inbounds i8, ptr %a, i64 %byte
  %pb = getelementptr inbounds i8, ptr %b, i64 %byte
  %pc = getelementptr inbounds i8, ptr %c, i64 %byte
  %x = load <8 x float>, ptr %pa, align 32
  %y = load <8 x float>, ptr %pb, align 32
  %sum = fadd <8 x float> %x, %y
  store <8 x float> %sum, ptr %pc, align 32
  br label %exit

exit:
  ret void
}
