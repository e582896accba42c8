target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @pad(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef readonly captures(none) %p, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %sub = add i64 %bx, -1
  %or.cond = icmp ult i64 %sub, 11
  %rem = and i64 %sub, 1
  %cmp5 = icmp eq i64 %rem, 0
  %or.cond19 = and i1 %or.cond, %cmp5
  %div = lshr exact i64 %sub, 1
  %.idx = mul nuw nsw i64 %div, 40
  %0 = getelementptr i8, ptr %x, i64 %.idx
  %.idx18 = mul i64 %bx, 44
  %1 = getelementptr i8, ptr %y, i64 %.idx18
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %j.021 = phi i64 [ 0, %entry ], [ %inc, %for.body ]
  %cmp6 = icmp samesign ugt i64 %j.021, 1
  %or.cond20 = select i1 %or.cond19, i1 %cmp6, i1 false
  %2 = getelementptr float, ptr %0, i64 %j.021
  %arrayidx = getelementptr i8, ptr %2, i64 -8
  %cond.in = select i1 %or.cond20, ptr %arrayidx, ptr %p
  %cond = load float, ptr %cond.in, align 4
  %arrayidx9 = getelementptr float, ptr %1, i64 %j.021
  store float %cond, ptr %arrayidx9, align 4
  %inc = add nuw nsw i64 %j.021, 1
  %exitcond.not = icmp eq i64 %inc, 11
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}
