target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @blocked(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef captures(none) %c, ptr noalias noundef captures(none) %pack, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  br label %for.cond1.preheader

for.cond1.preheader:
  %indvar = phi i64 [ 0, %entry ], [ %indvar.next, %for.cond.cleanup3 ]
  %j0.097 = phi i64 [ 0, %entry ], [ %add55, %for.cond.cleanup3 ]
  %0 = shl nuw nsw i64 %indvar, 5
  %invariant.gep89 = getelementptr inbounds nuw float, ptr %c, i64 %j0.097
  %invariant.gep93 = getelementptr inbounds nuw float, ptr %c, i64 %j0.097
  %1 = getelementptr nuw i8, ptr %b, i64 %0
  br label %for.cond5.preheader

for.cond.cleanup:
  ret void

for.cond5.preheader:
  %indvar98 = phi i64 [ 0, %for.cond1.preheader ], [ %indvar.next99, %for.cond.cleanup23 ]
  %k0.096 = phi i64 [ 0, %for.cond1.preheader ], [ %add52, %for.cond.cleanup23 ]
  %2 = mul nuw nsw i64 %indvar98, 1536
  %3 = getelementptr nuw i8, ptr %1, i64 %2
  br label %for.cond9.preheader

for.cond.cleanup3:
  %add55 = add nuw nsw i64 %j0.097, 8
  %indvar.next = add nuw nsw i64 %indvar, 1
  %exitcond104.not = icmp eq i64 %indvar.next, 3
  br i1 %exitcond104.not, label %for.cond.cleanup, label %for.cond1.preheader

for.cond21.preheader:
  %cmp25 = icmp eq i64 %k0.096, 0
  %invariant.gep91 = getelementptr inbounds nuw float, ptr %a, i64 %k0.096
  br label %for.body24

for.cond9.preheader:
  %k.086 = phi i64 [ 0, %for.cond5.preheader ], [ %inc19, %for.cond9.preheader ]
  %4 = shl nuw nsw i64 %k.086, 5
  %scevgep = getelementptr nuw i8, ptr %pack, i64 %4
  %5 = mul nuw nsw i64 %k.086, 96
  %scevgep100 = getelementptr nuw i8, ptr %3, i64 %5
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(32) %scevgep, ptr noundef nonnull align 4 dereferenceable(32) %scevgep100, i64 32, i1 false)
  %inc19 = add nuw nsw i64 %k.086, 1
  %exitcond.not = icmp eq i64 %inc19, 16
  br i1 %exitcond.not, label %for.cond21.preheader, label %for.cond9.preheader

for.cond.cleanup23:
  %add52 = add nuw nsw i64 %k0.096, 16
  %indvar.next99 = add nuw nsw i64 %indvar98, 1
  %exitcond103.not = icmp eq i64 %indvar.next99, 5
  br i1 %exitcond103.not, label %for.cond.cleanup3, label %for.cond5.preheader

for.body24:
  %i.095 = phi i64 [ 0, %for.cond21.preheader ], [ %inc49, %for.cond.cleanup32 ]
  br i1 %cmp25, label %cond.end, label %cond.false

cond.false:
  %.idx = mul nuw nsw i64 %i.095, 96
  %gep90 = getelementptr inbounds nuw i8, ptr %invariant.gep89, i64 %.idx
  %6 = load <8 x float>, ptr %gep90, align 4
  br label %cond.end

cond.end:
  %cond = phi <8 x float> [ %6, %cond.false ], [ zeroinitializer, %for.body24 ]
  %.idx82 = mul nuw nsw i64 %i.095, 320
  %gep92 = getelementptr inbounds nuw i8, ptr %invariant.gep91, i64 %.idx82
  br label %for.body33

for.cond.cleanup32:
  %.idx81 = mul nuw nsw i64 %i.095, 96
  %gep94 = getelementptr inbounds nuw i8, ptr %invariant.gep93, i64 %.idx81
  store <8 x float> %add41, ptr %gep94, align 4
  %inc49 = add nuw nsw i64 %i.095, 1
  %exitcond102.not = icmp eq i64 %inc49, 12
  br i1 %exitcond102.not, label %for.cond.cleanup23, label %for.body24

for.body33:
  %k29.088 = phi i64 [ 0, %cond.end ], [ %inc43, %for.body33 ]
  %sum.087 = phi <8 x float> [ %cond, %cond.end ], [ %add41, %for.body33 ]
  %arrayidx37 = getelementptr inbounds nuw float, ptr %gep92, i64 %k29.088
  %7 = load float, ptr %arrayidx37, align 4
  %splat.splatinsert = insertelement <8 x float> poison, float %7, i64 0
  %splat.splat = shufflevector <8 x float> %splat.splatinsert, <8 x float> poison, <8 x i32> zeroinitializer
  %arrayidx39.idx = shl nuw nsw i64 %k29.088, 5
  %arrayidx39 = getelementptr inbounds nuw i8, ptr %pack, i64 %arrayidx39.idx
  %8 = load <8 x float>, ptr %arrayidx39, align 4
  %mul40 = fmul <8 x float> %8, %splat.splat
  %add41 = fadd <8 x float> %sum.087, %mul40
  %inc43 = add nuw nsw i64 %k29.088, 1
  %exitcond101.not = icmp eq i64 %inc43, 16
  br i1 %exitcond101.not, label %for.cond.cleanup32, label %for.body33
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
