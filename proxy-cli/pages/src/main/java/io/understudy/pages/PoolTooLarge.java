package io.understudy.pages;

/** Thrown if the buffer pool is larger than the caller allows. */
public final class PoolTooLarge extends Exception {
    private static final long serialVersionUID = 1L;

    PoolTooLarge(String message) {
        super(message);
    }
}
