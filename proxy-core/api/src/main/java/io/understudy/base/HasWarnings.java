package io.understudy.base;

import java.util.List;

/** A record that may be valid but doubtful. Called once, after the record was built from a document. */
public interface HasWarnings {

    /**
     * Returns the warnings in the form of a compact constructor's message: a component's name or path, a colon, and a
     * sentence.
     */
    List<String> warnings();
}
