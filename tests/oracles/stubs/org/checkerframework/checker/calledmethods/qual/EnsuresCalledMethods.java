package org.checkerframework.checker.calledmethods.qual;

import java.lang.annotation.Repeatable;

/** Stands for the annotation of that name. */
@Repeatable(EnsuresCalledMethods.List.class)
public @interface EnsuresCalledMethods {
    String[] value();

    String[] methods();

    @interface List {
        EnsuresCalledMethods[] value();
    }
}
