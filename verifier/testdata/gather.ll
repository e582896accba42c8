target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @gather(ptr noalias noundef readonly captures(none) %table, ptr noalias noundef readonly captures(none) %rows, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %arrayidx = getelementptr inbounds i32, ptr %rows, i64 %bx
  %0 = load i32, ptr %arrayidx, align 4
  %cond = tail call i32 @llvm.smax.i32(i32 %0, i32 0)
  %cond5 = tail call i32 @llvm.umin.i32(i32 %cond, i32 19)
  %narrow = mul nuw nsw i32 %cond5, 12
  %mul = zext nneg i32 %narrow to i64
  %invariant.gep = getelementptr inbounds nuw float, ptr %table, i64 %mul
  %.idx = mul i64 %bx, 48
  %1 = getelementptr i8, ptr %y, i64 %.idx
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(48) %1, ptr noundef nonnull align 4 dereferenceable(48) %invariant.gep, i64 48, i1 false)
  ret void
}

declare i32 @llvm.smax.i32(i32, i32)

declare i32 @llvm.umin.i32(i32, i32)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
