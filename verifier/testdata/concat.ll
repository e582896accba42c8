target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @concat(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %.idx29 = mul i64 %bx, 40
  %0 = getelementptr i8, ptr %a, i64 %.idx29
  %.idx30 = shl i64 %bx, 7
  %1 = getelementptr i8, ptr %y, i64 %.idx30
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(40) %1, ptr noundef nonnull align 8 dereferenceable(40) %0, i64 40, i1 false)
  %mul9 = mul nsw i64 %bx, 11
  %add10 = add nsw i64 %mul9, 10
  %.idx = shl i64 %bx, 7
  %2 = getelementptr i8, ptr %y, i64 %.idx
  %3 = getelementptr i8, ptr %2, i64 40
  br label %for.body8

for.cond.cleanup7:
  ret void

for.body8:
  %j4.032 = phi i64 [ 0, %entry ], [ %inc17, %for.body8 ]
  %sub = sub i64 %add10, %j4.032
  %arrayidx11 = getelementptr inbounds double, ptr %b, i64 %sub
  %4 = load double, ptr %arrayidx11, align 8
  %arrayidx15 = getelementptr double, ptr %3, i64 %j4.032
  store double %4, ptr %arrayidx15, align 8
  %inc17 = add nuw nsw i64 %j4.032, 1
  %exitcond.not = icmp eq i64 %inc17, 11
  br i1 %exitcond.not, label %for.cond.cleanup7, label %for.body8
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
