target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @transpose_add(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %t = alloca [64 x float], align 16
  call void @llvm.lifetime.start.p0(ptr nonnull %t)
  %mul = shl nsw i64 %by, 3
  %.idx68 = shl i64 %bx, 5
  %invariant.gep71 = getelementptr i8, ptr %a, i64 %.idx68
  br label %for.cond1.preheader

for.cond1.preheader:
  %i.073 = phi i64 [ 0, %entry ], [ %inc13, %for.cond.cleanup3 ]
  %add = add nuw nsw i64 %i.073, %mul
  %.idx67 = mul i64 %add, 160
  %gep72 = getelementptr i8, ptr %invariant.gep71, i64 %.idx67
  %invariant.gep = getelementptr inbounds nuw float, ptr %t, i64 %i.073
  br label %for.body4

for.cond16.preheader:
  %mul28 = shl nsw i64 %bx, 3
  br label %for.cond21.preheader

for.cond.cleanup3:
  %inc13 = add nuw nsw i64 %i.073, 1
  %exitcond76.not = icmp eq i64 %inc13, 8
  br i1 %exitcond76.not, label %for.cond16.preheader, label %for.cond1.preheader

for.body4:
  %j.070 = phi i64 [ 0, %for.cond1.preheader ], [ %inc, %for.body4 ]
  %arrayidx = getelementptr float, ptr %gep72, i64 %j.070
  %0 = load float, ptr %arrayidx, align 4
  %.idx69 = shl nuw nsw i64 %j.070, 5
  %gep = getelementptr inbounds nuw i8, ptr %invariant.gep, i64 %.idx69
  store float %0, ptr %gep, align 4
  %inc = add nuw nsw i64 %j.070, 1
  %exitcond.not = icmp eq i64 %inc, 8
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4

for.cond21.preheader:
  %j15.075 = phi i64 [ 0, %for.cond16.preheader ], [ %inc47, %for.cond.cleanup23 ]
  %.idx = shl nuw nsw i64 %j15.075, 5
  %1 = getelementptr inbounds nuw i8, ptr %t, i64 %.idx
  %add29 = add nuw nsw i64 %j15.075, %mul28
  %mul30 = mul nsw i64 %add29, 24
  %add32 = add nsw i64 %mul30, %mul
  br label %for.body24

for.cond.cleanup18:
  call void @llvm.lifetime.end.p0(ptr nonnull %t)
  ret void

for.cond.cleanup23:
  %inc47 = add nuw nsw i64 %j15.075, 1
  %exitcond78.not = icmp eq i64 %inc47, 8
  br i1 %exitcond78.not, label %for.cond.cleanup18, label %for.cond21.preheader

for.body24:
  %i20.074 = phi i64 [ 0, %for.cond21.preheader ], [ %inc44, %for.body24 ]
  %arrayidx27 = getelementptr inbounds nuw float, ptr %1, i64 %i20.074
  %2 = load float, ptr %arrayidx27, align 4
  %add33 = add nuw nsw i64 %i20.074, %add32
  %arrayidx34 = getelementptr inbounds float, ptr %b, i64 %add33
  %3 = load float, ptr %arrayidx34, align 4
  %add35 = fadd float %2, %3
  %arrayidx42 = getelementptr inbounds float, ptr %c, i64 %add33
  store float %add35, ptr %arrayidx42, align 4
  %inc44 = add nuw nsw i64 %i20.074, 1
  %exitcond77.not = icmp eq i64 %inc44, 8
  br i1 %exitcond77.not, label %for.cond.cleanup23, label %for.body24
}

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare void @llvm.lifetime.end.p0(ptr captures(none))
