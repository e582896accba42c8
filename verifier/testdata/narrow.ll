target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @narrow(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %y, ptr noalias noundef writeonly captures(none) %z, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = shl nsw i64 %bx, 4
  %0 = or disjoint i64 %mul, 15
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %i.034 = phi i64 [ %mul, %entry ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds i8, ptr %a, i64 %i.034
  %1 = load i8, ptr %arrayidx, align 1
  %mul2 = mul i8 %1, 3
  %div = udiv i8 %1, 7
  %cmp9 = icmp ult i8 %mul2, %div
  %mul2. = select i1 %cmp9, i8 %mul2, i8 %1
  %arrayidx15 = getelementptr inbounds i8, ptr %y, i64 %i.034
  store i8 %mul2., ptr %arrayidx15, align 1
  %arrayidx16 = getelementptr inbounds half, ptr %b, i64 %i.034
  %2 = load half, ptr %arrayidx16, align 2
  %mul17 = fmul half %2, 0xH34CD
  %add19 = fadd half %2, %mul17
  %arrayidx20 = getelementptr inbounds half, ptr %z, i64 %i.034
  store half %add19, ptr %arrayidx20, align 2
  %inc = add i64 %i.034, 1
  %exitcond.not = icmp eq i64 %i.034, %0
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}
