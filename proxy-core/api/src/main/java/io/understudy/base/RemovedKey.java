package io.understudy.base;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A key that a configuration record no longer has; a file that sets it is told the reason and what to do instead. */
@Repeatable(RemovedKey.All.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RemovedKey {
    String name();

    /** Returns the rest of the sentence that begins with the key. */
    String why();

    /** The keys of one record. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface All {
        RemovedKey[] value();
    }
}
