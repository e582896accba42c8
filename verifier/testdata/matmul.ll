target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @pack(ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %p, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %add.ptr6.idx = shl nsw i64 %bx, 6
  %add.ptr10.idx = mul nsw i64 %bx, 2560
  %0 = getelementptr i8, ptr %p, i64 %add.ptr10.idx
  %1 = getelementptr i8, ptr %b, i64 %add.ptr6.idx
  br label %for.cond1.preheader

for.cond1.preheader:
  %k.026 = phi i64 [ 0, %entry ], [ %inc16, %for.cond1.preheader ]
  %2 = shl nuw nsw i64 %k.026, 6
  %scevgep = getelementptr i8, ptr %0, i64 %2
  %3 = shl nuw nsw i64 %k.026, 7
  %scevgep27 = getelementptr i8, ptr %1, i64 %3
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(64) %scevgep, ptr noundef nonnull align 4 dereferenceable(64) %scevgep27, i64 64, i1 false)
  %inc16 = add nuw nsw i64 %k.026, 1
  %exitcond.not = icmp eq i64 %inc16, 40
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.cond1.preheader

for.cond.cleanup:
  ret void
}

define void @matmul(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %p, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %add.ptr.idx = mul nsw i64 %bx, 2560
  %add.ptr = getelementptr inbounds i8, ptr %p, i64 %add.ptr.idx
  %mul25 = mul nsw i64 %by, 12
  %add.ptr71.idx = shl nsw i64 %bx, 6
  %invariant.gep130 = getelementptr i8, ptr %c, i64 %add.ptr71.idx
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %i.0133 = phi i64 [ 0, %entry ], [ %add88, %for.cond56.preheader ]
  %add = add nsw i64 %i.0133, %mul25
  %.idx = mul i64 %add, 160
  %add26.1 = or disjoint i64 %add, 1
  %.idx.1 = mul i64 %add26.1, 160
  %add26.2 = add nsw i64 %add, 2
  %.idx.2 = mul i64 %add26.2, 160
  %add26.3 = add nsw i64 %add, 3
  %.idx.3 = mul i64 %add26.3, 160
  %add26.4 = add nsw i64 %add, 4
  %.idx.4 = mul i64 %add26.4, 160
  %add26.5 = add nsw i64 %add, 5
  %.idx.5 = mul i64 %add26.5, 160
  br label %for.body12

for.cond56.preheader:
  %add.ptr69.idx = shl nsw i64 %add, 7
  %gep131 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx
  store <8 x float> %3, ptr %gep131, align 4
  %add.ptr83 = getelementptr inbounds nuw i8, ptr %gep131, i64 32
  store <8 x float> %4, ptr %add.ptr83, align 4
  %add.ptr69.idx.1 = shl nsw i64 %add26.1, 7
  %gep131.1 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx.1
  store <8 x float> %6, ptr %gep131.1, align 4
  %add.ptr83.1 = getelementptr inbounds nuw i8, ptr %gep131.1, i64 32
  store <8 x float> %7, ptr %add.ptr83.1, align 4
  %add.ptr69.idx.2 = shl nsw i64 %add26.2, 7
  %gep131.2 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx.2
  store <8 x float> %9, ptr %gep131.2, align 4
  %add.ptr83.2 = getelementptr inbounds nuw i8, ptr %gep131.2, i64 32
  store <8 x float> %10, ptr %add.ptr83.2, align 4
  %add.ptr69.idx.3 = shl nsw i64 %add26.3, 7
  %gep131.3 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx.3
  store <8 x float> %12, ptr %gep131.3, align 4
  %add.ptr83.3 = getelementptr inbounds nuw i8, ptr %gep131.3, i64 32
  store <8 x float> %13, ptr %add.ptr83.3, align 4
  %add.ptr69.idx.4 = shl nsw i64 %add26.4, 7
  %gep131.4 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx.4
  store <8 x float> %15, ptr %gep131.4, align 4
  %add.ptr83.4 = getelementptr inbounds nuw i8, ptr %gep131.4, i64 32
  store <8 x float> %16, ptr %add.ptr83.4, align 4
  %add.ptr69.idx.5 = shl nsw i64 %add26.5, 7
  %gep131.5 = getelementptr i8, ptr %invariant.gep130, i64 %add.ptr69.idx.5
  store <8 x float> %18, ptr %gep131.5, align 4
  %add.ptr83.5 = getelementptr inbounds nuw i8, ptr %gep131.5, i64 32
  store <8 x float> %19, ptr %add.ptr83.5, align 4
  %add88 = add nuw nsw i64 %i.0133, 6
  %cmp = icmp samesign ult i64 %i.0133, 6
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.body12:
  %acc.sroa.36.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %19, %for.body12 ]
  %acc.sroa.33.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %18, %for.body12 ]
  %acc.sroa.30.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %16, %for.body12 ]
  %acc.sroa.27.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %15, %for.body12 ]
  %acc.sroa.24.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %13, %for.body12 ]
  %acc.sroa.21.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %12, %for.body12 ]
  %acc.sroa.18.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %10, %for.body12 ]
  %acc.sroa.15.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %9, %for.body12 ]
  %acc.sroa.12.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %7, %for.body12 ]
  %acc.sroa.9.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %6, %for.body12 ]
  %acc.sroa.6.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %4, %for.body12 ]
  %acc.sroa.0.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %3, %for.body12 ]
  %k.0129 = phi i64 [ 0, %for.body ], [ %inc53, %for.body12 ]
  %add.ptr14.idx = shl nuw nsw i64 %k.0129, 6
  %add.ptr14 = getelementptr inbounds nuw i8, ptr %add.ptr, i64 %add.ptr14.idx
  %0 = load <8 x float>, ptr %add.ptr14, align 4
  %add.ptr19 = getelementptr inbounds nuw i8, ptr %add.ptr14, i64 32
  %1 = load <8 x float>, ptr %add.ptr19, align 4
  %invariant.gep = getelementptr float, ptr %a, i64 %k.0129
  %gep = getelementptr i8, ptr %invariant.gep, i64 %.idx
  %2 = load float, ptr %gep, align 4
  %vecinit = insertelement <8 x float> poison, float %2, i64 0
  %vecinit36 = shufflevector <8 x float> %vecinit, <8 x float> poison, <8 x i32> zeroinitializer
  %3 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36, <8 x float> %0, <8 x float> %acc.sroa.0.1)
  %4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36, <8 x float> %1, <8 x float> %acc.sroa.6.1)
  %gep.1 = getelementptr i8, ptr %invariant.gep, i64 %.idx.1
  %5 = load float, ptr %gep.1, align 4
  %vecinit.1 = insertelement <8 x float> poison, float %5, i64 0
  %vecinit36.1 = shufflevector <8 x float> %vecinit.1, <8 x float> poison, <8 x i32> zeroinitializer
  %6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.1, <8 x float> %0, <8 x float> %acc.sroa.9.1)
  %7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.1, <8 x float> %1, <8 x float> %acc.sroa.12.1)
  %gep.2 = getelementptr i8, ptr %invariant.gep, i64 %.idx.2
  %8 = load float, ptr %gep.2, align 4
  %vecinit.2 = insertelement <8 x float> poison, float %8, i64 0
  %vecinit36.2 = shufflevector <8 x float> %vecinit.2, <8 x float> poison, <8 x i32> zeroinitializer
  %9 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.2, <8 x float> %0, <8 x float> %acc.sroa.15.1)
  %10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.2, <8 x float> %1, <8 x float> %acc.sroa.18.1)
  %gep.3 = getelementptr i8, ptr %invariant.gep, i64 %.idx.3
  %11 = load float, ptr %gep.3, align 4
  %vecinit.3 = insertelement <8 x float> poison, float %11, i64 0
  %vecinit36.3 = shufflevector <8 x float> %vecinit.3, <8 x float> poison, <8 x i32> zeroinitializer
  %12 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.3, <8 x float> %0, <8 x float> %acc.sroa.21.1)
  %13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.3, <8 x float> %1, <8 x float> %acc.sroa.24.1)
  %gep.4 = getelementptr i8, ptr %invariant.gep, i64 %.idx.4
  %14 = load float, ptr %gep.4, align 4
  %vecinit.4 = insertelement <8 x float> poison, float %14, i64 0
  %vecinit36.4 = shufflevector <8 x float> %vecinit.4, <8 x float> poison, <8 x i32> zeroinitializer
  %15 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.4, <8 x float> %0, <8 x float> %acc.sroa.27.1)
  %16 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.4, <8 x float> %1, <8 x float> %acc.sroa.30.1)
  %gep.5 = getelementptr i8, ptr %invariant.gep, i64 %.idx.5
  %17 = load float, ptr %gep.5, align 4
  %vecinit.5 = insertelement <8 x float> poison, float %17, i64 0
  %vecinit36.5 = shufflevector <8 x float> %vecinit.5, <8 x float> poison, <8 x i32> zeroinitializer
  %18 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.5, <8 x float> %0, <8 x float> %acc.sroa.33.1)
  %19 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit36.5, <8 x float> %1, <8 x float> %acc.sroa.36.1)
  %inc53 = add nuw nsw i64 %k.0129, 1
  %exitcond.not = icmp eq i64 %inc53, 40
  br i1 %exitcond.not, label %for.cond56.preheader, label %for.body12
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
