// Poses of seven numbers (position, unit quaternion with the scalar first) and three.js objects.
import { Matrix4, Quaternion, Vector3 } from 'three';

export const vector = (a) => new Vector3(a[0], a[1], a[2]);

export function applyPose(object, pose, offset = 0) {
    object.position.set(pose[offset], pose[offset + 1], pose[offset + 2]);
    object.quaternion.set(pose[offset + 4], pose[offset + 5], pose[offset + 6], pose[offset + 3]);
}

// Rotation that takes z to the given direction.
export function alongDirection(direction) {
    return new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), direction.clone().normalize());
}

// Place an object with its z axis from a to b; returns the distance.
export function placeBetween(object, a, b) {
    const direction = b.clone().sub(a);
    const length = direction.length();
    object.position.copy(a);
    if (length > 0) object.quaternion.copy(alongDirection(direction));
    return length;
}

// Rotation with the given z axis and y as near to `up` as possible.
export function basis(z, up) {
    const y = up.clone().addScaledVector(z, -up.dot(z)).normalize();
    const x = y.clone().cross(z);
    return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, z));
}
