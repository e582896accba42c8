target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @matmul_bias_relu(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef readonly captures(none) %bias, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %.idx = shl i64 %bx, 8
  %0 = getelementptr i8, ptr %c, i64 %.idx
  %.idx84 = mul i64 %bx, 384
  %1 = mul i64 %bx, 384
  %2 = mul i64 %bx, 384
  %3 = mul i64 %bx, 384
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %cmp = phi i1 [ true, %entry ], [ false, %for.cond.cleanup7 ]
  %j.093 = phi i64 [ 0, %entry ], [ 8, %for.cond.cleanup7 ]
  %invariant.gep87 = getelementptr inbounds nuw float, ptr %b, i64 %j.093
  br label %for.body8

for.cond.cleanup7:
  %add.ptr36 = getelementptr inbounds nuw float, ptr %bias, i64 %j.093
  %4 = load <8 x float>, ptr %add.ptr36, align 4
  %invariant.gep90 = getelementptr float, ptr %0, i64 %j.093
  %add46 = fadd <8 x float> %4, %7
  %elt.maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %add46, <8 x float> zeroinitializer)
  store <8 x float> %elt.maximum, ptr %invariant.gep90, align 4
  %add46.1 = fadd <8 x float> %4, %10
  %elt.maximum.1 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %add46.1, <8 x float> zeroinitializer)
  %gep91.1 = getelementptr i8, ptr %invariant.gep90, i64 64
  store <8 x float> %elt.maximum.1, ptr %gep91.1, align 4
  %add46.2 = fadd <8 x float> %4, %13
  %elt.maximum.2 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %add46.2, <8 x float> zeroinitializer)
  %gep91.2 = getelementptr i8, ptr %invariant.gep90, i64 128
  store <8 x float> %elt.maximum.2, ptr %gep91.2, align 4
  %add46.3 = fadd <8 x float> %4, %16
  %elt.maximum.3 = call <8 x float> @llvm.maximum.v8f32(<8 x float> %add46.3, <8 x float> zeroinitializer)
  %gep91.3 = getelementptr i8, ptr %invariant.gep90, i64 192
  store <8 x float> %elt.maximum.3, ptr %gep91.3, align 4
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.body8:
  %acc.sroa.12.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %16, %for.body8 ]
  %acc.sroa.9.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %13, %for.body8 ]
  %acc.sroa.6.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %10, %for.body8 ]
  %acc.sroa.0.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %7, %for.body8 ]
  %k.089 = phi i64 [ 0, %for.body ], [ %inc34, %for.body8 ]
  %add.ptr.idx = shl nuw nsw i64 %k.089, 6
  %gep88 = getelementptr inbounds nuw i8, ptr %invariant.gep87, i64 %add.ptr.idx
  %5 = load <8 x float>, ptr %gep88, align 4
  %invariant.gep = getelementptr float, ptr %a, i64 %k.089
  %gep = getelementptr i8, ptr %invariant.gep, i64 %.idx84
  %6 = load float, ptr %gep, align 4
  %vecinit = insertelement <8 x float> poison, float %6, i64 0
  %vecinit25 = shufflevector <8 x float> %vecinit, <8 x float> poison, <8 x i32> zeroinitializer
  %7 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit25, <8 x float> %5, <8 x float> %acc.sroa.0.1)
  %8 = getelementptr i8, ptr %invariant.gep, i64 %1
  %gep.1 = getelementptr i8, ptr %8, i64 96
  %9 = load float, ptr %gep.1, align 4
  %vecinit.1 = insertelement <8 x float> poison, float %9, i64 0
  %vecinit25.1 = shufflevector <8 x float> %vecinit.1, <8 x float> poison, <8 x i32> zeroinitializer
  %10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit25.1, <8 x float> %5, <8 x float> %acc.sroa.6.1)
  %11 = getelementptr i8, ptr %invariant.gep, i64 %2
  %gep.2 = getelementptr i8, ptr %11, i64 192
  %12 = load float, ptr %gep.2, align 4
  %vecinit.2 = insertelement <8 x float> poison, float %12, i64 0
  %vecinit25.2 = shufflevector <8 x float> %vecinit.2, <8 x float> poison, <8 x i32> zeroinitializer
  %13 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit25.2, <8 x float> %5, <8 x float> %acc.sroa.9.1)
  %14 = getelementptr i8, ptr %invariant.gep, i64 %3
  %gep.3 = getelementptr i8, ptr %14, i64 288
  %15 = load float, ptr %gep.3, align 4
  %vecinit.3 = insertelement <8 x float> poison, float %15, i64 0
  %vecinit25.3 = shufflevector <8 x float> %vecinit.3, <8 x float> poison, <8 x i32> zeroinitializer
  %16 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit25.3, <8 x float> %5, <8 x float> %acc.sroa.12.1)
  %inc34 = add nuw nsw i64 %k.089, 1
  %exitcond.not = icmp eq i64 %inc34, 24
  br i1 %exitcond.not, label %for.cond.cleanup7, label %for.body8
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)
