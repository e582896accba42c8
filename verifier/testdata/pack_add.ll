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

define void @add(ptr noalias noundef readonly captures(none) %a, ptr noalias noundef readonly captures(none) %p, ptr noalias noundef writeonly captures(none) %c, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %panel = mul nsw i64 %bx, 2560
  %column = shl nsw i64 %bx, 6
  %p.panel = getelementptr i8, ptr %p, i64 %panel
  %a.column = getelementptr i8, ptr %a, i64 %column
  %c.column = getelementptr i8, ptr %c, i64 %column
  br label %row

row:
  %k = phi i64 [ 0, %entry ], [ %next, %row ]
  %packed = shl nuw nsw i64 %k, 6
  %plain = shl nuw nsw i64 %k, 7
  %pp = getelementptr i8, ptr %p.panel, i64 %packed
  %pa = getelementptr i8, ptr %a.column, i64 %plain
  %pc = getelementptr i8, ptr %c.column, i64 %plain
  %x = load <16 x float>, ptr %pa, align 4
  %y = load <16 x float>, ptr %pp, align 4
  %sum = fadd <16 x float> %x, %y
  store <16 x float> %sum, ptr %pc, align 4
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, 40
  br i1 %done, label %exit, label %row

exit:
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
