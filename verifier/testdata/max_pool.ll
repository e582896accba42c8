target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @max_pool(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %mul = shl nsw i64 %bx, 1
  %mul32 = mul nsw i64 %bx, 5
  br label %for.cond1.preheader

for.cond1.preheader:
  %c.069 = phi i64 [ 0, %entry ], [ %inc42, %for.cond.cleanup3 ]
  %mul13 = shl nuw nsw i64 %c.069, 1
  %add33 = add nsw i64 %c.069, %mul32
  %.idx = shl i64 %add33, 4
  %0 = getelementptr i8, ptr %y, i64 %.idx
  br label %for.cond5.preheader

for.cond.cleanup:
  ret void

for.cond5.preheader:
  %f.068 = phi i64 [ 0, %for.cond1.preheader ], [ %inc38, %for.cond.cleanup7 ]
  br label %for.cond9.preheader

for.cond.cleanup3:
  %inc42 = add nuw nsw i64 %c.069, 1
  %exitcond72.not = icmp eq i64 %inc42, 5
  br i1 %exitcond72.not, label %for.cond.cleanup, label %for.cond1.preheader

for.cond9.preheader:
  %i.067 = phi i64 [ 0, %for.cond5.preheader ], [ %inc29, %for.cond.cleanup11 ]
  %most.066 = phi float [ 0xFFF0000000000000, %for.cond5.preheader ], [ %most.2, %for.cond.cleanup11 ]
  %add = add nsw i64 %i.067, %mul
  %1 = add i64 %add, -10
  %or.cond = icmp ult i64 %1, -9
  %2 = mul nuw nsw i64 %add, 9
  br label %for.body12

for.cond.cleanup7:
  %arrayidx36 = getelementptr float, ptr %0, i64 %f.068
  store float %most.2, ptr %arrayidx36, align 4
  %inc38 = add nuw nsw i64 %f.068, 1
  %exitcond71.not = icmp eq i64 %inc38, 4
  br i1 %exitcond71.not, label %for.cond.cleanup3, label %for.cond5.preheader

for.cond.cleanup11:
  %inc29 = add nuw nsw i64 %i.067, 1
  %exitcond70.not = icmp eq i64 %inc29, 3
  br i1 %exitcond70.not, label %for.cond.cleanup7, label %for.cond9.preheader

for.body12:
  %j.065 = phi i64 [ 0, %for.cond9.preheader ], [ %inc, %cleanup ]
  %most.164 = phi float [ %most.066, %for.cond9.preheader ], [ %most.2, %cleanup ]
  %add14 = add nuw nsw i64 %j.065, %mul13
  %3 = add nsw i64 %add14, -10
  %4 = icmp ult i64 %3, -9
  %or.cond46 = select i1 %or.cond, i1 true, i1 %4
  br i1 %or.cond46, label %cleanup, label %if.end

if.end:
  %sub15 = add nuw nsw i64 %add14, %2
  %.idx63 = shl nuw nsw i64 %sub15, 4
  %5 = getelementptr i8, ptr %x, i64 %.idx63
  %6 = getelementptr i8, ptr %5, i64 -160
  %arrayidx = getelementptr float, ptr %6, i64 %f.068
  %7 = load float, ptr %arrayidx, align 4
  %elt.maximum = tail call float @llvm.maximum.f32(float %most.164, float %7)
  br label %cleanup

cleanup:
  %most.2 = phi float [ %elt.maximum, %if.end ], [ %most.164, %for.body12 ]
  %inc = add nuw nsw i64 %j.065, 1
  %exitcond.not = icmp eq i64 %inc, 3
  br i1 %exitcond.not, label %for.cond.cleanup11, label %for.body12
}

declare float @llvm.maximum.f32(float, float)
