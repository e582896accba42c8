target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @dot_i8(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = mul nsw i64 %bx, 40
  %0 = getelementptr i8, ptr %a, i64 %mul
  %.idx = mul i64 %bx, 24
  %1 = getelementptr i8, ptr %y, i64 %.idx
  br label %for.cond1.preheader

for.cond1.preheader:
  %j.027 = phi i64 [ 0, %entry ], [ %inc15, %for.cond.cleanup3 ]
  %invariant.gep = getelementptr inbounds nuw i8, ptr %b, i64 %j.027
  br label %for.body4

for.cond.cleanup:
  ret void

for.cond.cleanup3:
  %arrayidx13 = getelementptr i32, ptr %1, i64 %j.027
  store i32 %add10, ptr %arrayidx13, align 4
  %inc15 = add nuw nsw i64 %j.027, 1
  %exitcond28.not = icmp eq i64 %inc15, 6
  br i1 %exitcond28.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:
  %k.026 = phi i64 [ 0, %for.cond1.preheader ], [ %inc, %for.body4 ]
  %sum.025 = phi i32 [ 0, %for.cond1.preheader ], [ %add10, %for.body4 ]
  %arrayidx = getelementptr i8, ptr %0, i64 %k.026
  %2 = load i8, ptr %arrayidx, align 1
  %conv = sext i8 %2 to i32
  %mul5 = mul nuw nsw i64 %k.026, 6
  %gep = getelementptr inbounds nuw i8, ptr %invariant.gep, i64 %mul5
  %3 = load i8, ptr %gep, align 1
  %conv8 = sext i8 %3 to i32
  %mul9 = mul nsw i32 %conv8, %conv
  %add10 = add nsw i32 %mul9, %sum.025
  %inc = add nuw nsw i64 %k.026, 1
  %exitcond.not = icmp eq i64 %inc, 40
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}
