package io.understudy.it;

/**
 * One thing that applications do, played once directly and once through the proxy. Leaves nothing behind that a second
 * play would see.
 */
interface Step {
    void play(Scene scene) throws Exception;
}
