target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @window(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef readonly captures(none) %start, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) nofree norecurse nosync nounwind memory(argmem: readwrite) {
entry:
  %0 = load i64, ptr %start, align 8
  %cond = tail call i64 @llvm.smax.i64(i64 %0, i64 0)
  %cond5 = tail call i64 @llvm.umin.i64(i64 %cond, i64 22)
  %.idx = mul i64 %bx, 120
  %1 = getelementptr i8, ptr %x, i64 %.idx
  %2 = getelementptr float, ptr %1, i64 %cond5
  %.idx19 = shl i64 %bx, 5
  %3 = getelementptr i8, ptr %y, i64 %.idx19
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(32) %3, ptr noundef nonnull align 4 dereferenceable(32) %2, i64 32, i1 false)
  ret void
}

declare i64 @llvm.smax.i64(i64, i64)

declare i64 @llvm.umin.i64(i64, i64)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
