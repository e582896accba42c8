target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define void @rows(ptr noalias noundef readonly captures(none) %x, ptr noalias noundef writeonly captures(none) %y, i64 noundef %bx, i64 noundef %by, i64 noundef %bz) {
entry:
  %row = mul nuw nsw i64 %bx, 8
  br label %column

column:
  %j = phi i64 [ 0, %entry ], [ %next, %column ]
  %at = add nuw nsw i64 %row, %j
  %from = getelementptr inbounds float, ptr %x, i64 %at
  %value = load float, ptr %from, align 4
  %third = fdiv float %value, 3.000000e+00
  %square = fmul float %value, %value
  %cube = fmul float %square, %third
  %to = getelementptr inbounds float, ptr %y, i64 %at
  store float %cube, ptr %to, align 4
  %next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %next, 8
  br i1 %done, label %exit, label %column

exit:
  ret void
}
