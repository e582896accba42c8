source_filename = "quern"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define void @kernel_k0(ptr noalias readonly align 64 %arg0, ptr noalias align 64 %t0, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds float, ptr %arg0, i64 %i0
  %1 = load float, ptr %0, align 4
  %2 = fmul float %1, 1.000000e+02
  %3 = getelementptr inbounds float, ptr %t0, i64 %i0
  store float %2, ptr %3, align 4
  %i0.next = add nuw nsw i64 %i0, 1
  %4 = icmp ult i64 %i0.next, 48
  br i1 %4, label %i0.body, label %i0.end

i0.end:
  ret void
}

define void @kernel_k1(ptr noalias align 64 %out0, ptr noalias readonly align 64 %t0, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds float, ptr %t0, i64 %i0
  %1 = load float, ptr %0, align 4
  %2 = call i16 @llvm.fptosi.sat.i16.f32(float %1)
  %3 = getelementptr inbounds i16, ptr %out0, i64 %i0
  store i16 %2, ptr %3, align 2
  %i0.next = add nuw nsw i64 %i0, 1
  %4 = icmp ult i64 %i0.next, 48
  br i1 %4, label %i0.body, label %i0.end

i0.end:
  ret void
}

declare i16 @llvm.fptosi.sat.i16.f32(float) #1

define void @kernel_k2(ptr noalias readonly align 64 %arg1, ptr noalias align 64 %out1, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds i8, ptr %arg1, i64 %i0
  %1 = load i8, ptr %0, align 1
  %2 = trunc i8 %1 to i4
  %3 = add i4 %2, %2
  %4 = sext i4 %3 to i8
  %5 = getelementptr inbounds i8, ptr %out1, i64 %i0
  store i8 %4, ptr %5, align 1
  %i0.next = add nuw nsw i64 %i0, 1
  %6 = icmp ult i64 %i0.next, 48
  br i1 %6, label %i0.body, label %i0.end

i0.end:
  ret void
}

define void @kernel_k3(ptr noalias readonly align 64 %arg2, ptr noalias readonly align 64 %arg3, ptr noalias align 64 %out2, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds i32, ptr %arg2, i64 %i0
  %1 = load i32, ptr %0, align 4
  %2 = getelementptr inbounds i32, ptr %arg3, i64 %i0
  %3 = load i32, ptr %2, align 4
  %4 = icmp eq i32 %3, 0
  %5 = select i1 %4, i32 1, i32 %3
  %6 = udiv i32 %1, %5
  %7 = select i1 %4, i32 -1, i32 %6
  %8 = getelementptr inbounds i32, ptr %out2, i64 %i0
  store i32 %7, ptr %8, align 4
  %i0.next = add nuw nsw i64 %i0, 1
  %9 = icmp ult i64 %i0.next, 48
  br i1 %9, label %i0.body, label %i0.end

i0.end:
  ret void
}

define void @kernel_k4(ptr noalias readonly align 64 %arg2, ptr noalias readonly align 64 %arg3, ptr noalias align 64 %out3, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds i32, ptr %arg2, i64 %i0
  %1 = load i32, ptr %0, align 4
  %2 = getelementptr inbounds i32, ptr %arg3, i64 %i0
  %3 = load i32, ptr %2, align 4
  %4 = call i32 @llvm.umin.i32(i32 %3, i32 31)
  %5 = shl i32 %1, %4
  %6 = icmp ule i32 %3, 31
  %7 = select i1 %6, i32 %5, i32 0
  %8 = getelementptr inbounds i32, ptr %out3, i64 %i0
  store i32 %7, ptr %8, align 4
  %i0.next = add nuw nsw i64 %i0, 1
  %9 = icmp ult i64 %i0.next, 48
  br i1 %9, label %i0.body, label %i0.end

i0.end:
  ret void
}

declare i32 @llvm.umin.i32(i32, i32) #1

define void @kernel_k5(ptr noalias readonly align 64 %arg4, ptr noalias align 64 %t1, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds bfloat, ptr %arg4, i64 %i0
  %1 = load bfloat, ptr %0, align 2
  %2 = fpext bfloat %1 to float
  %3 = fneg float %2
  %4 = fptrunc float %3 to bfloat
  %5 = getelementptr inbounds bfloat, ptr %t1, i64 %i0
  store bfloat %4, ptr %5, align 2
  %i0.next = add nuw nsw i64 %i0, 1
  %6 = icmp ult i64 %i0.next, 48
  br i1 %6, label %i0.body, label %i0.end

i0.end:
  ret void
}

define void @kernel_k6(ptr noalias readonly align 64 %arg4, ptr noalias align 64 %out4, ptr noalias readonly align 64 %t1, i64 %bx, i64 %by, i64 %bz) #0 {
entry:
  br label %i0.body

i0.body:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %i0.body ]
  %0 = getelementptr inbounds bfloat, ptr %arg4, i64 %i0
  %1 = load bfloat, ptr %0, align 2
  %2 = getelementptr inbounds bfloat, ptr %t1, i64 %i0
  %3 = load bfloat, ptr %2, align 2
  %4 = fpext bfloat %1 to float
  %5 = fpext bfloat %3 to float
  %6 = call float @llvm.maximum.f32(float %4, float %5)
  %7 = fptrunc float %6 to bfloat
  %8 = getelementptr inbounds bfloat, ptr %out4, i64 %i0
  store bfloat %7, ptr %8, align 2
  %i0.next = add nuw nsw i64 %i0, 1
  %9 = icmp ult i64 %i0.next, 48
  br i1 %9, label %i0.body, label %i0.end

i0.end:
  ret void
}

declare float @llvm.maximum.f32(float, float) #1
declare float @llvm.minimum.f32(float, float) #1

attributes #0 = { nounwind }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
