target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @add_relu(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %b, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = shl nsw i64 %bx, 2
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %i.051 = phi i64 [ 0, %entry ], [ %inc29, %for.cond.cleanup16 ]
  %add = add nuw nsw i64 %i.051, %mul
  %mul1 = mul nsw i64 %add, 60
  %add.ptr = getelementptr inbounds float, ptr %a, i64 %mul1
  %add.ptr7 = getelementptr inbounds float, ptr %b, i64 %mul1
  %add.ptr10 = getelementptr inbounds float, ptr %c, i64 %mul1
  br label %for.body5

for.body5:
  %j.049 = phi i64 [ 0, %for.body ], [ %add12, %for.body5 ]
  %add.ptr6 = getelementptr inbounds nuw float, ptr %add.ptr, i64 %j.049
  %0 = load <8 x float>, ptr %add.ptr6, align 4
  %add.ptr8 = getelementptr inbounds nuw float, ptr %add.ptr7, i64 %j.049
  %1 = load <8 x float>, ptr %add.ptr8, align 4
  %add9 = fadd <8 x float> %0, %1
  %elt.maximum = call <8 x float> @llvm.maximum.v8f32(<8 x float> %add9, <8 x float> zeroinitializer)
  %add.ptr11 = getelementptr inbounds nuw float, ptr %add.ptr10, i64 %j.049
  store <8 x float> %elt.maximum, ptr %add.ptr11, align 4
  %add12 = add nuw nsw i64 %j.049, 8
  %cmp3 = icmp samesign ult i64 %j.049, 48
  br i1 %cmp3, label %for.body5, label %for.body17

for.cond.cleanup16:
  %inc29 = add nuw nsw i64 %i.051, 1
  %exitcond52.not = icmp eq i64 %inc29, 4
  br i1 %exitcond52.not, label %for.cond.cleanup, label %for.body

for.body17:
  %j13.050 = phi i64 [ %inc, %for.body17 ], [ 56, %for.body5 ]
  %add19 = add nsw i64 %j13.050, %mul1
  %arrayidx = getelementptr inbounds float, ptr %a, i64 %add19
  %2 = load float, ptr %arrayidx, align 4
  %arrayidx21 = getelementptr inbounds float, ptr %b, i64 %add19
  %3 = load float, ptr %arrayidx21, align 4
  %add22 = fadd float %2, %3
  %elt.maximum23 = call float @llvm.maximum.f32(float %add22, float 0.000000e+00)
  %arrayidx25 = getelementptr inbounds float, ptr %c, i64 %add19
  store float %elt.maximum23, ptr %arrayidx25, align 4
  %inc = add nuw nsw i64 %j13.050, 1
  %exitcond.not = icmp eq i64 %inc, 60
  br i1 %exitcond.not, label %for.cond.cleanup16, label %for.body17
}

declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)

declare float @llvm.maximum.f32(float, float)
