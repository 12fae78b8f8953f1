package org.checkerframework.checker.mustcall.qual;

/** Stands for the annotation of that name. */
public @interface Owning {
}
