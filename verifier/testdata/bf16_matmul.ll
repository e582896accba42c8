target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @bf16_matmul(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %.idx82 = shl i64 %bx, 8
  %0 = getelementptr i8, ptr %a, i64 %.idx82
  %1 = getelementptr i8, ptr %c, i64 %.idx82
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %cmp = phi i1 [ true, %entry ], [ false, %for.cond40.preheader ]
  %j.092 = phi i64 [ 0, %entry ], [ 8, %for.cond40.preheader ]
  %invariant.gep86 = getelementptr inbounds nuw bfloat, ptr %b, i64 %j.092
  br label %for.body8

for.cond40.preheader:
  %invariant.gep89 = getelementptr float, ptr %1, i64 %j.092
  store <8 x float> %4, ptr %invariant.gep89, align 4
  %gep90.1 = getelementptr i8, ptr %invariant.gep89, i64 64
  store <8 x float> %6, ptr %gep90.1, align 4
  %gep90.2 = getelementptr i8, ptr %invariant.gep89, i64 128
  store <8 x float> %8, ptr %gep90.2, align 4
  %gep90.3 = getelementptr i8, ptr %invariant.gep89, i64 192
  store <8 x float> %10, ptr %gep90.3, align 4
  br i1 %cmp, label %for.body, label %for.cond.cleanup

for.body8:
  %acc.sroa.12.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %10, %for.body8 ]
  %acc.sroa.9.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %8, %for.body8 ]
  %acc.sroa.6.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %6, %for.body8 ]
  %acc.sroa.0.1 = phi <8 x float> [ zeroinitializer, %for.body ], [ %4, %for.body8 ]
  %k.088 = phi i64 [ 0, %for.body ], [ %inc37, %for.body8 ]
  %add.ptr.idx = shl nuw nsw i64 %k.088, 5
  %gep87 = getelementptr inbounds nuw i8, ptr %invariant.gep86, i64 %add.ptr.idx
  %2 = load <8 x bfloat>, ptr %gep87, align 2
  %conv = fpext <8 x bfloat> %2 to <8 x float>
  %invariant.gep = getelementptr bfloat, ptr %0, i64 %k.088
  %3 = load bfloat, ptr %invariant.gep, align 2
  %conv21 = fpext bfloat %3 to float
  %vecinit = insertelement <8 x float> poison, float %conv21, i64 0
  %vecinit28 = shufflevector <8 x float> %vecinit, <8 x float> poison, <8 x i32> zeroinitializer
  %4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit28, <8 x float> %conv, <8 x float> %acc.sroa.0.1)
  %gep.1 = getelementptr i8, ptr %invariant.gep, i64 64
  %5 = load bfloat, ptr %gep.1, align 2
  %conv21.1 = fpext bfloat %5 to float
  %vecinit.1 = insertelement <8 x float> poison, float %conv21.1, i64 0
  %vecinit28.1 = shufflevector <8 x float> %vecinit.1, <8 x float> poison, <8 x i32> zeroinitializer
  %6 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit28.1, <8 x float> %conv, <8 x float> %acc.sroa.6.1)
  %gep.2 = getelementptr i8, ptr %invariant.gep, i64 128
  %7 = load bfloat, ptr %gep.2, align 2
  %conv21.2 = fpext bfloat %7 to float
  %vecinit.2 = insertelement <8 x float> poison, float %conv21.2, i64 0
  %vecinit28.2 = shufflevector <8 x float> %vecinit.2, <8 x float> poison, <8 x i32> zeroinitializer
  %8 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit28.2, <8 x float> %conv, <8 x float> %acc.sroa.9.1)
  %gep.3 = getelementptr i8, ptr %invariant.gep, i64 192
  %9 = load bfloat, ptr %gep.3, align 2
  %conv21.3 = fpext bfloat %9 to float
  %vecinit.3 = insertelement <8 x float> poison, float %conv21.3, i64 0
  %vecinit28.3 = shufflevector <8 x float> %vecinit.3, <8 x float> poison, <8 x i32> zeroinitializer
  %10 = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit28.3, <8 x float> %conv, <8 x float> %acc.sroa.12.1)
  %inc37 = add nuw nsw i64 %k.088, 1
  %exitcond.not = icmp eq i64 %inc37, 32
  br i1 %exitcond.not, label %for.cond40.preheader, label %for.body8
}

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
