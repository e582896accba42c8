target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @row_sum(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = shl nsw i64 %bx, 3
  br label %for.body

for.cond.cleanup:
  ret void

for.body:
  %i.050 = phi i64 [ 0, %entry ], [ %inc26, %for.cond.cleanup17 ]
  %add = add nuw nsw i64 %i.050, %mul
  %add.ptr.idx = mul nsw i64 %add, 288
  %add.ptr = getelementptr inbounds i8, ptr %x, i64 %add.ptr.idx
  br label %for.body5

for.cond.cleanup4:
  %add.ptr12 = getelementptr inbounds nuw i8, ptr %add.ptr, i64 256
  %0 = load <8 x float>, ptr %add.ptr12, align 4
  %add13 = fadd <8 x float> %add7, %0
  %add14 = fadd <8 x float> %add10, %add13
  %vecext = extractelement <8 x float> %add14, i64 0
  br label %for.body18

for.body5:
  %k.047 = phi i64 [ 0, %for.body ], [ %add11, %for.body5 ]
  %s1.046 = phi <8 x float> [ zeroinitializer, %for.body ], [ %add10, %for.body5 ]
  %s0.045 = phi <8 x float> [ zeroinitializer, %for.body ], [ %add7, %for.body5 ]
  %add.ptr6 = getelementptr inbounds nuw float, ptr %add.ptr, i64 %k.047
  %1 = load <8 x float>, ptr %add.ptr6, align 4
  %add7 = fadd <8 x float> %s0.045, %1
  %add.ptr9 = getelementptr inbounds nuw i8, ptr %add.ptr6, i64 32
  %2 = load <8 x float>, ptr %add.ptr9, align 4
  %add10 = fadd <8 x float> %s1.046, %2
  %add11 = add nuw nsw i64 %k.047, 16
  %cmp3 = icmp samesign ult i64 %k.047, 48
  br i1 %cmp3, label %for.body5, label %for.cond.cleanup4

for.cond.cleanup17:
  %arrayidx = getelementptr inbounds float, ptr %y, i64 %add
  store float %add20, ptr %arrayidx, align 4
  %inc26 = add nuw nsw i64 %i.050, 1
  %exitcond51.not = icmp eq i64 %inc26, 8
  br i1 %exitcond51.not, label %for.cond.cleanup, label %for.body

for.body18:
  %l.049 = phi i32 [ 1, %for.cond.cleanup4 ], [ %inc, %for.body18 ]
  %t.048 = phi float [ %vecext, %for.cond.cleanup4 ], [ %add20, %for.body18 ]
  %vecext19 = extractelement <8 x float> %add14, i32 %l.049
  %add20 = fadd float %t.048, %vecext19
  %inc = add nuw nsw i32 %l.049, 1
  %exitcond.not = icmp eq i32 %inc, 8
  br i1 %exitcond.not, label %for.cond.cleanup17, label %for.body18
}
