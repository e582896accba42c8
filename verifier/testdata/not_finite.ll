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
  %above = fcmp ogt float %value, 0.000000e+00
  %positive = select i1 %above, float %value, float 0x7FF8000000000000
  %to = getelementptr inbounds float, ptr %y, i64 %at
  store float %positive, ptr %to, align 4
  %next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %next, 7
  br i1 %done, label %last, label %column

last:
  %end = add nuw nsw i64 %row, 7
  %masked = getelementptr inbounds float, ptr %y, i64 %end
  store float 0xFFF0000000000000, ptr %masked, align 4
  ret void
}
