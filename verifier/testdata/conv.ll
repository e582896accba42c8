target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @conv(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef readonly captures(none) %w, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = shl nsw i64 %bx, 1
  %mul48 = mul nsw i64 %bx, 5
  br label %for.cond1.preheader

for.cond1.preheader:
  %c.093 = phi i64 [ 0, %entry ], [ %inc58, %for.cond.cleanup3 ]
  %mul13 = shl nuw nsw i64 %c.093, 1
  %add49 = add nsw i64 %c.093, %mul48
  %.idx = mul i64 %add49, 24
  %0 = getelementptr i8, ptr %y, i64 %.idx
  br label %for.cond5.preheader

for.cond.cleanup:
  ret void

for.cond5.preheader:
  %o.092 = phi i64 [ 0, %for.cond1.preheader ], [ %inc54, %for.cond.cleanup7 ]
  %invariant.gep = getelementptr inbounds nuw float, ptr %w, i64 %o.092
  br label %for.cond9.preheader

for.cond.cleanup3:
  %inc58 = add nuw nsw i64 %c.093, 1
  %exitcond97.not = icmp eq i64 %inc58, 5
  br i1 %exitcond97.not, label %for.cond.cleanup, label %for.cond1.preheader

for.cond9.preheader:
  %i.091 = phi i64 [ 0, %for.cond5.preheader ], [ %inc45, %for.cond.cleanup11 ]
  %sum.090 = phi float [ 0.000000e+00, %for.cond5.preheader ], [ %sum.3, %for.cond.cleanup11 ]
  %add = add nsw i64 %i.091, %mul
  %1 = add i64 %add, -10
  %or.cond = icmp ult i64 %1, -9
  %2 = mul nuw nsw i64 %add, 9
  %mul30 = mul nuw nsw i64 %i.091, 3
  br label %for.body12

for.cond.cleanup7:
  %arrayidx52 = getelementptr float, ptr %0, i64 %o.092
  store float %sum.3, ptr %arrayidx52, align 4
  %inc54 = add nuw nsw i64 %o.092, 1
  %exitcond96.not = icmp eq i64 %inc54, 6
  br i1 %exitcond96.not, label %for.cond.cleanup3, label %for.cond5.preheader

for.cond.cleanup11:
  %inc45 = add nuw nsw i64 %i.091, 1
  %exitcond95.not = icmp eq i64 %inc45, 3
  br i1 %exitcond95.not, label %for.cond.cleanup7, label %for.cond9.preheader

for.body12:
  %j.089 = phi i64 [ 0, %for.cond9.preheader ], [ %inc41, %cleanup ]
  %sum.188 = phi float [ %sum.090, %for.cond9.preheader ], [ %sum.3, %cleanup ]
  %add14 = add nuw nsw i64 %j.089, %mul13
  %3 = add nsw i64 %add14, -10
  %4 = icmp ult i64 %3, -9
  %or.cond62 = select i1 %or.cond, i1 true, i1 %4
  br i1 %or.cond62, label %cleanup, label %for.cond22.preheader

for.cond22.preheader:
  %sub15 = add nuw nsw i64 %add14, %2
  %.idx84 = shl nuw nsw i64 %sub15, 4
  %5 = getelementptr i8, ptr %x, i64 %.idx84
  %6 = getelementptr i8, ptr %5, i64 -160
  %add31 = add nuw nsw i64 %j.089, %mul30
  %mul32 = shl nuw nsw i64 %add31, 2
  br label %for.body25

for.body25:
  %f.087 = phi i64 [ 0, %for.cond22.preheader ], [ %inc, %for.body25 ]
  %sum.286 = phi float [ %sum.188, %for.cond22.preheader ], [ %add38, %for.body25 ]
  %arrayidx = getelementptr float, ptr %6, i64 %f.087
  %7 = load float, ptr %arrayidx, align 4
  %add33 = add nuw nsw i64 %f.087, %mul32
  %.idx85 = mul nuw nsw i64 %add33, 24
  %gep = getelementptr inbounds nuw i8, ptr %invariant.gep, i64 %.idx85
  %8 = load float, ptr %gep, align 4
  %mul37 = fmul float %7, %8
  %add38 = fadd float %sum.286, %mul37
  %inc = add nuw nsw i64 %f.087, 1
  %exitcond.not = icmp eq i64 %inc, 4
  br i1 %exitcond.not, label %cleanup, label %for.body25

cleanup:
  %sum.3 = phi float [ %sum.188, %for.body12 ], [ %add38, %for.body25 ]
  %inc41 = add nuw nsw i64 %j.089, 1
  %exitcond94.not = icmp eq i64 %inc41, 3
  br i1 %exitcond94.not, label %for.cond.cleanup11, label %for.body12
}
