package io.understudy.connection;

import java.io.IOException;

/** A connection that was not tried, because what file descriptors are left are for answering new clients. */
final class NoDescriptorException extends IOException {
    private static final long serialVersionUID = 1L;

    NoDescriptorException() {
        super("out of file descriptors");
    }
}
