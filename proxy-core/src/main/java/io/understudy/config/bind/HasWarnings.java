package io.understudy.config.bind;

import java.util.List;

/** A record that is valid but has something to say. Asked once, after the record was built from a document. */
public interface HasWarnings {

    /**
     * The warnings, in the form in which a compact constructor refuses a value: a component's name or path, a colon, and
     * a sentence.
     */
    List<String> warnings();
}
